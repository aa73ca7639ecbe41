import { language_script_pairs, layers, namedFlavor } from '@protomaps/basemaps';
import type { LayerSpecification } from 'maplibre-gl';

/** The name of the source, and the start of the names of its layers. */
export const TILES = 'tiles';

/** The map draws letters itself. The first word of a list gives weight and style, as no font has that name. */
const OWN_FONT = 'Inter Variable,system-ui';
const FONTS = { regular: OWN_FONT, bold: `Medium,${OWN_FONT}`, italic: `Italic,${OWN_FONT}` };
/** Encoded for the glyphs of Protomaps; the same names stand in the tiles as plain text. */
const ENCODED_NAME = 'pgf:';
const ENCODED_FONT = 'Noto Sans Devanagari Regular v1';
const FALLBACK_LANGUAGE = 'en';

/**
 * The layers of a Protomaps basemap, without what needs pictures: shields, arrows and points of interest. Names are in the
 * language where the tiles have them.
 */
export function tileLayers(theme: 'light' | 'dark', language: string): LayerSpecification[] {
  const { pois: _, ...flavor } = namedFlavor(theme);
  const isKnown = language_script_pairs.some(({ lang }) => lang === language);
  const lang = isKnown ? language : FALLBACK_LANGUAGE;
  return (layers(TILES, { ...flavor, ...FONTS }, { lang }) as LayerSpecification[])
    .filter((layer) => layer.type !== 'background')
    .flatMap((layer) => withoutPictures(layer))
    .map((layer) => ({ ...plain(layer), id: `${TILES}-${layer.id}` }));
}

/** Dots of towns are left out; a layer that is little without its picture goes as a whole. */
function withoutPictures(layer: LayerSpecification): LayerSpecification[] {
  const { layout = {} } = layer as { readonly layout?: Readonly<Record<string, unknown>> };
  if (!('icon-image' in layout)) return [layer];
  if (!layer.id.startsWith('places_')) return [];
  const words = Object.fromEntries(Object.entries(layout).filter(([name]) => !name.startsWith('icon-')));
  return [{ ...layer, layout: words } as LayerSpecification];
}

/** Replaces encoded names and their font in the expressions of a layer. */
function plain<Part>(part: Part): Part {
  if (typeof part === 'string') {
    if (part === ENCODED_FONT) return OWN_FONT as Part;
    return (part.startsWith(ENCODED_NAME) ? part.slice(ENCODED_NAME.length) : part) as Part;
  }
  if (Array.isArray(part)) return part.map(plain) as Part;
  if (typeof part !== 'object' || part === null) return part;
  return Object.fromEntries(Object.entries(part).map(([name, inner]) => [name, plain(inner)])) as Part;
}
