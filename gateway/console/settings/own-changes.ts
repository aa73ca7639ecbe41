/** The fields of a form that differ from what it began with. Only these are saved: somebody else may have changed the others. */
export function ownChanges<Form extends object>(form: Form, began: Form): Partial<Form> {
  const changed = Object.entries(form).filter(([name, value]) => value !== began[name as keyof Form]);
  return Object.fromEntries(changed) as Partial<Form>;
}

/** The form on what is saved now: its own changes stay, and everything else is as it was saved. */
export function rebased<Form extends object>(form: Form, began: Form, savedNow: Form): Form {
  return { ...savedNow, ...ownChanges(form, began) };
}
