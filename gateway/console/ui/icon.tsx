import ban from 'lucide-static/icons/ban.svg';
import money from 'lucide-static/icons/banknote.svg';
import bookmark from 'lucide-static/icons/bookmark.svg';
import chart from 'lucide-static/icons/chart-line.svg';
import check from 'lucide-static/icons/check.svg';
import chevron from 'lucide-static/icons/chevron-down.svg';
import circle from 'lucide-static/icons/circle.svg';
import dashed from 'lucide-static/icons/circle-dashed.svg';
import failed from 'lucide-static/icons/circle-x.svg';
import clock from 'lucide-static/icons/clock-alert.svg';
import boardIcon from 'lucide-static/icons/columns-3.svg';
import external from 'lucide-static/icons/external-link.svg';
import listIcon from 'lucide-static/icons/list.svg';
import mapIcon from 'lucide-static/icons/map.svg';
import fit from 'lucide-static/icons/maximize.svg';
import minus from 'lucide-static/icons/minus.svg';
import moving from 'lucide-static/icons/navigation.svg';
import packageIcon from 'lucide-static/icons/package.svg';
import edit from 'lucide-static/icons/pencil.svg';
import phone from 'lucide-static/icons/phone.svg';
import plus from 'lucide-static/icons/plus.svg';
import radar from 'lucide-static/icons/radar.svg';
import search from 'lucide-static/icons/search.svg';
import settings from 'lucide-static/icons/settings.svg';
import risk from 'lucide-static/icons/triangle-alert.svg';
import truck from 'lucide-static/icons/truck.svg';
import user from 'lucide-static/icons/user-round.svg';
import accepted from 'lucide-static/icons/user-round-check.svg';
import nobody from 'lucide-static/icons/user-round-x.svg';
import users from 'lucide-static/icons/users-round.svg';
import cut from 'lucide-static/icons/wifi-off.svg';
import close from 'lucide-static/icons/x.svg';

const SHAPES = {
  accepted,
  ban,
  board: boardIcon,
  bookmark,
  chart,
  check,
  chevron,
  circle,
  clock,
  close,
  cut,
  dashed,
  edit,
  external,
  failed,
  fit,
  list: listIcon,
  map: mapIcon,
  minus,
  money,
  moving,
  nobody,
  package: packageIcon,
  phone,
  plus,
  radar,
  risk,
  search,
  settings,
  truck,
  user,
  users,
} as const;
export type IconName = keyof typeof SHAPES;

/** The paths alone: each file is one `svg` element. */
const inner = (svg: string) => ({
  __html: svg.slice(svg.indexOf('>', svg.indexOf('<svg')) + 1, svg.lastIndexOf('</svg>')),
});
const PATHS = Object.fromEntries(Object.entries(SHAPES).map(([name, svg]) => [name, inner(svg)]));

/** A sign of Lucide. It says nothing to a screen reader: the text beside it does. */
export function Icon({ name, class: className = '' }: { readonly name: IconName; readonly class?: string }) {
  return (
    <svg
      class={`icon ${className}`}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      stroke-width="2"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
      // The text of an icon file that the build has put into the program.
      dangerouslySetInnerHTML={PATHS[name]!}
    />
  );
}
