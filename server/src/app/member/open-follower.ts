import type { PrimaryAddress } from '#base/primary-address.ts';
import type { Config } from '#config/config.ts';
import type { MembersSeen } from '#log/postgres/member-registry.ts';
import type { Follower } from '../replica.ts';
import type { WorkspaceOptions } from '../workspace.ts';
import { type MemberRole, primaryOf } from './member-role.ts';

export interface FollowerParts {
  /** Of this member. */
  readonly run: string;
  readonly seen: () => MembersSeen | undefined;
  readonly member: MemberRole;
}

/** A member that follows whichever other one leads. */
export async function openFollower(
  { config, ...options }: WorkspaceOptions,
  { run, seen, member }: FollowerParts,
): Promise<Follower> {
  const { openReplica } = await import('../replica.ts');
  const addressOf =
    (of: 'address' | 'serverAddress'): PrimaryAddress =>
    () => {
      const now = seen();
      const found = now && primaryOf(now);
      return found?.run === run ? undefined : found?.[of];
    };
  // The primary is told where this member is.
  const named = { ...options, config: { ...config, ...addressesOf(config, config.http.port) } };
  return openReplica(named, {
    primaryAddress: addressOf('address'),
    serverAddress: addressOf('serverAddress'),
    publicAddress: config.publicAddress,
    channelPort: null,
    member,
  });
}

/** Where a member is reached that listens on a port: by people, and by other members. */
export function addressesOf(
  { publicAddress, serverAddress, http: { host } }: Config,
  port: number,
): { readonly publicAddress: string; readonly serverAddress: string } {
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  const own = `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
  return { publicAddress: publicAddress ?? own, serverAddress: serverAddress ?? own };
}
