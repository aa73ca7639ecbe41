/** The texts of a selection. */
export const selectionText = {
  selected: (number: number) => `${number.toLocaleString('en')} selected`,
  away: (away: number, all: number, isBoard: boolean) => {
    const place = isBoard ? 'on the board' : 'in the task list';
    if (away === all) return all === 1 ? `It is not ${place}.` : `None of them is ${place}.`;
    return `${away.toLocaleString('en')} of them ${away === 1 ? 'is' : 'are'} not ${place}.`;
  },
};
