import type { Draw } from '../city.ts';

const FIRST = ['Ada', 'Ben', 'Chloe', 'Deniz', 'Emeka', 'Fatima', 'Goran', 'Hiro', 'Ines', 'Jonas', 'Kofi', 'Lena'];
const LAST = ['Abara', 'Berg', 'Castro', 'Dogan', 'Eriksen', 'Fischer', 'Grant', 'Horvat', 'Ito', 'Jansen', 'Klein'];

/** First and last name of a person. */
export function peopleNames(draw: Draw): string {
  return `${FIRST[draw(FIRST.length)]} ${LAST[draw(LAST.length)]}`;
}
