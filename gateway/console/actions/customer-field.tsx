import { useEffect, useState } from 'preact/hooks';
import type { CustomerView } from '../../../schema/customers/customer.ts';
import type { Chosen } from '../page/draft.ts';
import { callApi } from '../page/link.ts';
import { text } from '../text/english.ts';
import { Field } from '../ui/controls.tsx';

const { create: words } = text;
const WAIT_MS = 150;
const LEAST_CHARS = 2;
const SHOWN = 6;

/** Finds a customer by name or phone while one types. A name that is not known becomes a new customer. */
export function CustomerField({
  chosen,
  onChange,
}: {
  readonly chosen: Chosen;
  readonly onChange: (chosen: Chosen) => void;
}) {
  const found = useFound(chosen);
  return (
    <>
      <Field id="new-customer" label={words.customer} hint={chosen.id === null ? words.customerHint : words.known}>
        {(props) => (
          <input
            {...props}
            required
            dir="auto"
            autocomplete="off"
            maxLength={255}
            value={chosen.name}
            onInput={({ currentTarget }) =>
              onChange({ id: null, name: currentTarget.value, phone: chosen.id === null ? chosen.phone : '' })
            }
          />
        )}
      </Field>
      {found.length > 0 && (
        <ul class="found" aria-label={words.foundCustomers}>
          {found.map((customer) => (
            <li key={customer.id}>
              <button type="button" onClick={() => onChange(chosenOf(customer))}>
                <strong dir="auto">{customer.name}</strong>
                <span class="soft">{phoneOf(customer)}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
      <Field id="new-phone" label={words.phone}>
        {(props) => (
          <input
            {...props}
            type="tel"
            required={chosen.id === null}
            disabled={chosen.id !== null}
            placeholder="+49 30 1234567"
            value={chosen.phone}
            onInput={({ currentTarget }) => onChange({ ...chosen, phone: currentTarget.value })}
          />
        )}
      </Field>
    </>
  );
}

function useFound({ id, name }: Chosen): readonly CustomerView[] {
  const [found, setFound] = useState<readonly CustomerView[]>([]);
  const search = name.trim();
  useEffect(() => {
    setFound([]);
    if (id !== null || search.length < LEAST_CHARS) return;
    let isCurrent = true;
    const timer = setTimeout(async () => {
      const path = `/customers?limit=${SHOWN}&search=${encodeURIComponent(search)}`;
      const answer = await callApi<{ items: CustomerView[] }>({ method: 'GET', path });
      // Without an answer the name stands for a new customer, which the engine matches by phone.
      if (isCurrent && answer.ok) setFound(answer.data.items);
    }, WAIT_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [id, search]);
  return found;
}

function phoneOf({ user }: CustomerView): string {
  return user.phoneNumber === null ? '' : `${user.countryCode ?? ''} ${user.phoneNumber}`.trim();
}

function chosenOf(customer: CustomerView): Chosen {
  return { id: customer.id, name: customer.name, phone: phoneOf(customer) };
}
