import { useEffect } from 'preact/hooks';
import type { TypedPlace } from '../page/draft.ts';
import { isPlacing, PIN, pinIn, pinTarget, pinText } from '../page/pin.ts';
import { go, view } from '../page/state.ts';
import { text } from '../text/english.ts';
import { Button, Field } from '../ui/controls.tsx';

const { create: words } = text;

/** An address with its pin, which a click on the map sets. On a phone a button makes room for the map. */
export function PlaceFields({
  id,
  place,
  onChange,
}: {
  readonly id: string;
  readonly place: TypedPlace;
  readonly onChange: (change: Partial<TypedPlace>) => void;
}) {
  useEffect(() => {
    pinTarget.value = { pin: pinIn(place.pin), set: (pin) => onChange({ pin: pinText(pin) }) };
  });
  useEffect(
    () => () => {
      pinTarget.value = null;
      isPlacing.value = false;
    },
    [],
  );
  return (
    <>
      <Field id={`${id}-address`} label={words.address}>
        {(props) => (
          <input
            {...props}
            required
            dir="auto"
            maxLength={255}
            value={place.address}
            onInput={({ currentTarget }) => onChange({ address: currentTarget.value })}
          />
        )}
      </Field>
      <Field id={`${id}-pin`} label={words.pin} hint={words.pinHint}>
        {(props) => (
          <input
            {...props}
            required
            dir="ltr"
            placeholder="52.52000, 13.40500"
            pattern={PIN.source}
            value={place.pin}
            onInput={({ currentTarget }) => onChange({ pin: currentTarget.value })}
          />
        )}
      </Field>
      <p class="place-on-map">
        <Button
          icon="map"
          onClick={() => {
            // Elsewhere there is no map: the form comes along, with everything typed.
            if (view.peek() === 'map') isPlacing.value = true;
            else go('map');
          }}
        >
          {words.placeOnMap}
        </Button>
      </p>
    </>
  );
}
