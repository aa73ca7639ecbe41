export function assertInstalledClientIsPatched(): void;
