import type { Caller } from '#access/caller.ts';
import type { Clock } from '#base/clock.ts';
import { Problem } from '#base/problem.ts';
import { didYouMean } from '#graph/names.ts';
import type { LastUses } from '../last-uses.ts';
import { isSafeAddress } from '../sso/provider-fetch.ts';
import type { SecretUses } from './secret-uses.ts';
import type { StoredSecret, StoredSecrets } from './stored-secrets.ts';

export interface EndpointSecretsParts {
  readonly secrets: StoredSecrets;
  readonly uses: LastUses;
  readonly audited: SecretUses;
  readonly clock: Clock;
}

/** The request that a secret is wanted for. */
export interface SecretRequest {
  readonly url: URL;
  /** Name of the endpoint whose code made it. */
  readonly endpoint: string;
  readonly caller: Caller;
}

/** Gives the values of secrets to requests that they are for, and to no others. */
export class EndpointSecrets {
  readonly #parts: EndpointSecretsParts;

  constructor(parts: EndpointSecretsParts) {
    this.#parts = parts;
  }

  /** Throws `secret_not_found`, `secret_not_allowed`, `secret_unreadable`. */
  take(name: string, { url, endpoint, caller }: SecretRequest): string {
    const { secrets, uses, audited, clock } = this.#parts;
    const secret = secrets.find(name);
    if (secret === undefined) {
      const names = secrets.all().map((one) => one.name);
      const problem = `There is no secret "${name}"`;
      throw new Problem('secret_not_found', problem, didYouMean(name, names));
    }
    refuse(secret, url, endpoint);
    const value = secrets.valueOf(secret);
    if (value === undefined) {
      throw new Problem('secret_unreadable', `The secret "${name}" cannot be opened any more`);
    }
    uses.of(name).atMs = clock.now();
    audited.note({ secret: name, endpoint, host: url.host, caller });
    return value;
  }

  /** Which there are, and whose code may use each; null for that of all endpoints. */
  names(): readonly Pick<StoredSecret, 'name' | 'endpoints'>[] {
    return this.#parts.secrets.all();
  }
}

function refuse({ name, hosts, endpoints }: StoredSecret, url: URL, endpoint: string): void {
  if (endpoints !== null && !endpoints.includes(endpoint)) {
    throw notAllowed(`The secret "${name}" is not for the code of "${endpoint}"`);
  }
  if (!hosts.some((host) => isHostOf(host, url))) {
    throw notAllowed(`The secret "${name}" is not for ${url.host}`);
  }
  if (!isSafeAddress(url)) {
    throw notAllowed(`The secret "${name}" is not sent to ${url.host} by ${url.protocol}//`, {
      hint: 'Use https: only requests to the machine itself may do without it.',
    });
  }
}

function notAllowed(message: string, more: { readonly hint?: string } = {}): Problem {
  return new Problem('secret_not_allowed', message, more);
}

/** A host without a port has that of the protocol. */
function isHostOf(host: string, { hostname, port, protocol }: URL): boolean {
  const ownPort = protocol === 'https:' ? '443' : '80';
  return port === ''
    ? [hostname, `${hostname}:${ownPort}`].includes(host)
    : host === `${hostname}:${port}`;
}
