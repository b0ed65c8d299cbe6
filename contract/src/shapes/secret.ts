import { z } from 'zod';
import type { Immutable } from '../immutable.ts';
import {
  SECRET_ENDPOINTS_MAX,
  SECRET_HOST_CHARACTERS_MAX,
  SECRET_HOSTS_MAX,
  SECRET_NAME_CHARACTERS_MAX,
  SECRET_VALUE_CHARACTERS_MAX,
  SECRET_VALUE_CHARACTERS_MIN,
} from '../limits.ts';
import { endpointName } from './endpoint.ts';

/** As code writes constants. */
export const secretName = z
  .string()
  .max(SECRET_NAME_CHARACTERS_MAX)
  .regex(
    /^[A-Z][A-Z0-9_]*$/,
    'must be made of capital letters, digits and "_", and begin with a letter',
  );

export const secretInPath = z.object({ name: secretName });

const HOST =
  'must be a host in lower case, such as api.example.com or 127.0.0.1:8080: no path, no port 443';

/** As browsers write hosts: so comparing them is comparing texts. */
const host = z
  .string()
  .max(SECRET_HOST_CHARACTERS_MAX)
  .regex(/^(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?$/, HOST)
  .refine(
    (text) => URL.canParse(`https://${text}`) && new URL(`https://${text}`).host === text,
    HOST,
  );

/** What a header can hold, in one line. */
const secretValue = z
  .string()
  .min(SECRET_VALUE_CHARACTERS_MIN)
  .max(SECRET_VALUE_CHARACTERS_MAX)
  .regex(
    /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/,
    'must be one line of printable ASCII, without spaces at its ends',
  );

const rules = {
  /** The hosts that it is sent to, and no others. */
  hosts: z.array(host).min(1).max(SECRET_HOSTS_MAX),
  /** Names of the endpoints whose code may use it; null for the code of all, and of migrations. */
  endpoints: z.array(endpointName).min(1).max(SECRET_ENDPOINTS_MAX).nullable(),
};

/**
 * The body of `PUT /api/secrets/{name}` (open-shapes, section 15). The value is given with each
 * change: otherwise a new host would be sent a value that whoever adds it does not know.
 */
export const secretChange = z.strictObject({
  value: secretValue,
  hosts: rules.hosts,
  endpoints: rules.endpoints.optional(),
});
export type SecretChange = Immutable<z.infer<typeof secretChange>>;

/** A secret as it is listed: never its value. Times are ISO 8601 UTC. */
export const secretRecord = z.strictObject({
  name: secretName,
  ...rules,
  changedAt: z.iso.datetime(),
  /** UID of the administrator who set it; null for a token that acts as nobody. */
  changedBy: z.string().nullable(),
  /** Null when it was never used. A crash may lose the last minute. */
  lastUsedAt: z.iso.datetime().nullable(),
  /**
   * Whether this server can open the value; not after the key that signs tokens has become another
   * one.
   */
  isReadable: z.boolean(),
});
export type SecretRecord = Immutable<z.infer<typeof secretRecord>>;
