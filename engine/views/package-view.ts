import { type PackageRecord, type PackageView, packageView } from '../../schema/tasks/package.ts';
import { compileSerializer } from './parts/serializer.ts';

const serializePackage = compileSerializer(packageView);

/** The JSON of a package, by itself and within its task. */
export function encodePackage(record: PackageRecord): string {
  // The serializer leaves out what the schema does not name.
  return serializePackage(record as PackageView);
}
