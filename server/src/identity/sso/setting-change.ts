import { Problem } from '#base/problem.ts';
import type { GraphReader } from '#graph/reader.ts';
import type { VaultReader } from '../vault.ts';
import type { SettingStore } from './setting-store.ts';
import { isTeam } from './team-mapping.ts';

/** What the settings of providers are read, checked and written with. */
export interface ConfigParts {
  readonly reader: GraphReader;
  readonly vault: VaultReader;
  readonly settings: SettingStore;
  /** `MSK_PUBLIC_ADDRESS`, without a slash at the end. */
  readonly publicAddress: string | null;
}

/** Without the members that are there only to say undefined. */
export function given<T extends object>(change: T): Given<T> {
  const entries = Object.entries(change).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Given<T>;
}

type Given<T> = { [Name in keyof T]: Exclude<T[Name], undefined> };

/** 400, like a member that does not pass the contract. */
export function invalidSetting(path: string, message: string): Problem {
  return new Problem('invalid_request', `body, ${path}: ${message}`, {
    details: { fields: [{ path, message }] },
  });
}

/** 409 unless the server knows under which address a provider can lead back to it. */
export function requirePublicAddress(address: string | null): void {
  if (address !== null) return;
  throw new Problem(
    'sso_needs_public_address',
    'The server does not know its public address, which a provider has to lead back to.',
  );
}

export function checkTeams(
  reader: GraphReader,
  path: string,
  groupTeams: Readonly<Record<string, string>>,
): void {
  reader.refresh();
  for (const [group, team] of Object.entries(groupTeams)) {
    if (!isTeam(reader, team))
      throw invalidSetting(`${path}.${group}`, 'must be the UID of a team');
  }
}
