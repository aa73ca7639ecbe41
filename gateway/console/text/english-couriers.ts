/** The texts of the couriers and their days. */
export const couriersText = {
  vehicles: {
    bike: 'Bicycle',
    cargo_bike: 'Cargo bike',
    scooter: 'Scooter',
    car: 'Car',
    van: 'Van',
  } as Readonly<Record<string, string>>,
  add: {
    open: 'Add a courier',
    title: 'Add a courier',
    name: 'Name',
    email: 'E-mail address',
    emailHint: 'A link to choose a password goes there.',
    phone: 'Phone with country code',
    phoneHint: 'Dispatchers and customers call it.',
    vehicle: 'Vehicle',
    submit: 'Add courier',
    cancel: 'Cancel',
    added: (name: string) => `${name} is added, and gets a mail with a link to choose a password.`,
  },
};
