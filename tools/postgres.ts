import { globSync } from 'node:fs';
import { installDebianPackage } from './debian-package.ts';

/** Where Debian keeps the programs of the versions that are installed; the newest of these, or where the next will be. */
export function postgresPrograms(): string {
  const versions = globSync('/usr/lib/postgresql/*/bin').toSorted();
  return versions.at(-1) ?? '/usr/lib/postgresql/15/bin';
}

/** The database that the tests of connectors read. */
export function installPostgres(): void {
  installDebianPackage('postgresql', `${postgresPrograms()}/initdb`, 'the tests of connectors');
}
