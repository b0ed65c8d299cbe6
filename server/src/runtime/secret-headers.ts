import type { Caller } from '#access/caller.ts';
import {
  ENDPOINT_SECRET_TEMPLATE_CHARACTERS_MAX,
  ENDPOINT_SECRETS_PER_REQUEST_MAX,
} from '#base/endpoint-limits.ts';
import { Problem } from '#base/problem.ts';
import type { SentSecret } from './secret-masks.ts';

/** What `secret()` of the scope makes: the value is to stand in the place of `{}`. */
export interface NamedSecret {
  readonly secret: string;
  readonly template: string;
}

/** Where the values of secrets are. */
export interface SecretSource {
  /**
   * The value for a request of the code of an endpoint. Throws `secret_not_found`,
   * `secret_not_allowed`, `secret_unreadable`.
   */
  take(
    name: string,
    request: { readonly url: URL; readonly endpoint: string; readonly caller: Caller },
  ): string;
}

const PLACE = '{}';
const TEMPLATE = /^[\x20-\x7e]*$/;

/** From the value of a header that code made, which may be anything; undefined for a text. */
export function namedSecret(value: unknown): NamedSecret | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { secret, template } = value as Readonly<Record<string, unknown>>;
  if (typeof secret !== 'string') return undefined;
  return { secret, template: typeof template === 'string' ? template : PLACE };
}

/** The headers as they go out, and what went into them. Throws `invalid_request`, and as `take`. */
export function withSecrets(
  headers: Readonly<Record<string, string | NamedSecret>>,
  take: (name: string) => string,
): { readonly headers: Readonly<Record<string, string>>; readonly sent: readonly SentSecret[] } {
  const sent: SentSecret[] = [];
  const filled = Object.entries(headers).map(([header, value]) => {
    if (typeof value === 'string') return [header, value] as const;
    checkTemplate(value);
    const { secret: name, template } = value;
    const known = sent.find((one) => one.name === name);
    if (known === undefined && sent.length === ENDPOINT_SECRETS_PER_REQUEST_MAX) throw tooMany();
    const secret = known ?? { name, value: take(name) };
    if (known === undefined) sent.push(secret);
    return [header, template.replace(PLACE, () => secret.value)] as const;
  });
  return { headers: Object.fromEntries(filled), sent };
}

function tooMany(): Problem {
  return new Problem(
    'invalid_request',
    `A request has at most ${ENDPOINT_SECRETS_PER_REQUEST_MAX} secrets`,
  );
}

function checkTemplate({ template }: NamedSecret): void {
  if (template.length > ENDPOINT_SECRET_TEMPLATE_CHARACTERS_MAX || !TEMPLATE.test(template)) {
    throw new Problem(
      'invalid_request',
      `secret() takes a text of at most ${ENDPOINT_SECRET_TEMPLATE_CHARACTERS_MAX} characters of ASCII, in one line`,
    );
  }
  if (template.split(PLACE).length === 2) return;
  throw new Problem('invalid_request', `secret() takes a text with "${PLACE}" in it once`, {
    hint: "Such as secret('CRM_KEY', 'Bearer {}').",
  });
}
