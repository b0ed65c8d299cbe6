import { type AuditTrail, deed } from '#access/audit-event.ts';
import type { Caller } from '#access/caller.ts';
import type { Clock } from '#base/clock.ts';
import { Problem } from '#base/problem.ts';
import type { CommitPort } from '#graph/operations.ts';
import { SECRETS_MAX } from '@trellis/contract/limits.ts';
import type { List, Page } from '@trellis/contract/shapes/list.ts';
import type { SecretChange, SecretRecord } from '@trellis/contract/shapes/secret.ts';
import type { LastUses } from '../last-uses.ts';
import { OneAtATime } from '#base/one-at-a-time.ts';
import type { StoredSecret, StoredSecrets } from './stored-secrets.ts';

export interface SecretServiceParts {
  readonly secrets: StoredSecrets;
  readonly uses: LastUses;
  readonly commits: CommitPort;
  readonly audit: AuditTrail;
  readonly clock: Clock;
}

/** What administrators do with the secrets of endpoints (open-shapes, section 15). */
export class SecretService {
  readonly #parts: SecretServiceParts;
  readonly #changes = new OneAtATime();

  constructor(parts: SecretServiceParts) {
    this.#parts = parts;
  }

  /** By name, without values. */
  list(_caller: Caller, { skip, take }: Page): List<SecretRecord> {
    const all = this.#parts.secrets.all();
    const items = all.slice(skip, skip + take).map((secret) => this.#listed(secret));
    return { items, total: all.length, skip, take };
  }

  /** Holds from the next request of an endpoint. Rejects with `secret_limit_reached`. */
  put(caller: Caller, name: string, change: SecretChange, address: string): Promise<SecretRecord> {
    return this.#changes.run(async () => {
      const { secrets, commits, audit, clock } = this.#parts;
      if (secrets.find(name) === undefined && secrets.all().length >= SECRETS_MAX) {
        const message = `There are ${SECRETS_MAX} secrets already`;
        throw new Problem('secret_limit_reached', message, { details: { limit: SECRETS_MAX } });
      }
      const { value, hosts, endpoints = null } = change;
      const rules = {
        hosts: [...new Set(hosts)],
        endpoints: endpoints && [...new Set(endpoints)],
      };
      const changed = { changedMs: clock.now(), changedBy: caller.userUid };
      const record = secrets.write(value, { name, ...rules, ...changed });
      const event = deed('secret.set', { caller, address }, targetOf(name), rules);
      await commits.commit({
        system: true,
        operations: [audit.operation(event)],
        vault: [record],
      });
      return this.#listed({ name, ...rules, ...changed, sealed: '' }, true);
    });
  }

  /** Rejects with `secret_not_found`. */
  delete(caller: Caller, name: string, address: string): Promise<void> {
    return this.#changes.run(async () => {
      const { secrets, uses, commits, audit } = this.#parts;
      if (secrets.find(name) === undefined) {
        throw new Problem('secret_not_found', `There is no secret "${name}"`);
      }
      const event = deed('secret.deleted', { caller, address }, targetOf(name));
      await commits.commit({
        system: true,
        operations: [audit.operation(event)],
        vault: [secrets.remove(name), uses.forget(name)],
      });
    });
  }

  #listed(secret: StoredSecret, isReadable = this.#isReadable(secret)): SecretRecord {
    const { name, hosts, endpoints, changedMs, changedBy } = secret;
    const lastUsedMs = this.#parts.uses.lastUsedMs(name);
    return {
      name,
      hosts,
      endpoints,
      changedAt: new Date(changedMs).toISOString(),
      changedBy,
      lastUsedAt: lastUsedMs === null ? null : new Date(lastUsedMs).toISOString(),
      isReadable,
    };
  }

  #isReadable(secret: StoredSecret): boolean {
    return this.#parts.secrets.valueOf(secret) !== undefined;
  }
}

export function targetOf(name: string): { readonly kind: string; readonly id: string } {
  return { kind: 'secret', id: name };
}
