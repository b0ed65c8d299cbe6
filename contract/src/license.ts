import { z } from 'zod';
import {
  LICENSE_CHARACTERS_MAX,
  LICENSE_FEATURES_MAX,
  LICENSE_TEXT_CHARACTERS_MAX,
} from './limits.ts';

/**
 * A license is a compact JWS (RFC 7515) signed with Ed25519 (RFC 8037), three parts of base64url
 * with dots between: the header `{"alg":"EdDSA"}`, the claims, and the signature of the first two
 * as they are written (open-shapes, section 1). This file knows the form. Keys and signatures are
 * the affair of who signs and who verifies, as the contract has no cryptography.
 */

/**
 * What a license can allow in this version. A license may name others, which say something to other
 * versions.
 */
export const LICENSE_FEATURES = ['Replicas'] as const;
export type LicenseFeature = (typeof LICENSE_FEATURES)[number];

/** The name of a feature: free text without blanks. */
const featureName = z
  .string()
  .max(LICENSE_TEXT_CHARACTERS_MAX)
  .regex(/^[^\s\p{Cc}]+$/u, 'the name of a feature is text without blanks');

/** Seconds since the Unix epoch, until the end of the year 9999. */
const numericDate = z.int().min(0).max(253_402_300_799);

/** Claims that are not named here are ignored, as RFC 7519, section 4, has it. */
const licenseClaims = z.object({
  /** To whom it was issued: for people, nothing depends on it. */
  sub: z.string().min(1).max(LICENSE_TEXT_CHARACTERS_MAX),
  features: z.array(featureName).max(LICENSE_FEATURES_MAX),
  /** It is good before this time. */
  exp: numericDate,
  iat: numericDate.optional(),
  /** It is good from this time, when it names one. */
  nbf: numericDate.optional(),
});

export type LicenseClaims = z.infer<typeof licenseClaims>;

/**
 * One algorithm, so that neither "none" nor a MAC whose secret would be the public key gets in.
 * Other members may be ignored, except `crit`, which lists those that may not (RFC 7515, section
 * 4.1.11): we understand none.
 */
const licenseHeader = z.object({ alg: z.literal('EdDSA'), crit: z.never().optional() });

/** A license taken apart. Nothing of it is true before the signature is verified. */
export interface ParsedLicense {
  readonly claims: LicenseClaims;
  /** What the signature is of. */
  readonly signedBytes: Uint8Array;
  /** The 64 bytes of an Ed25519 signature. */
  readonly signature: Uint8Array;
}

/**
 * The text is no license; the message is the end of a sentence that begins with what the text is.
 */
export class LicenseFault extends Error {
  override readonly name = 'LicenseFault';
}

const SIGNATURE_BYTES = 64;

/**
 * Takes the text of a license apart; blanks around it are no part of it. Each license has one
 * spelling, so a changed character is always another license or none. Throws `LicenseFault`.
 */
export function parseLicense(text: string): ParsedLicense {
  checkLength(text);
  const parts = text.trim().split('.');
  const [header, payload, signature] = parts;
  if (
    header === undefined ||
    payload === undefined ||
    signature === undefined ||
    parts.length > 3
  ) {
    throw new LicenseFault(`has ${parts.length} parts with dots between, not 3`);
  }
  check(licenseHeader, parseJson(header, 'header'), 'header');
  const claims = check(licenseClaims, parseJson(payload, 'claims'), 'claims');
  const signatureBytes = decodeBase64Url(signature, 'signature');
  if (signatureBytes.length !== SIGNATURE_BYTES) {
    throw new LicenseFault(
      `has a signature of ${signatureBytes.length} bytes, not ${SIGNATURE_BYTES}`,
    );
  }
  return {
    claims,
    signedBytes: new TextEncoder().encode(`${header}.${payload}`),
    signature: signatureBytes,
  };
}

/**
 * The text of a license; `sign` answers the 64 bytes of the signature. Throws `LicenseFault` for
 * wrong claims.
 */
export function formatLicense(
  claims: LicenseClaims,
  sign: (signedBytes: Uint8Array) => Uint8Array,
): string {
  const parts = [{ alg: 'EdDSA' }, check(licenseClaims, claims, 'claims')];
  const encoder = new TextEncoder();
  const signed = parts
    .map((part) => encodeBase64Url(encoder.encode(JSON.stringify(part))))
    .join('.');
  const text = `${signed}.${encodeBase64Url(sign(encoder.encode(signed)))}`;
  checkLength(text);
  return text;
}

export type LicenseTime = 'current' | 'expired' | 'not_yet_valid';

/**
 * Whether a license is good at `now`, in milliseconds since the Unix epoch, as far as time goes.
 */
export function licenseTime({ exp, nbf = 0 }: LicenseClaims, now: number): LicenseTime {
  if (now >= exp * 1_000) return 'expired';
  return now < nbf * 1_000 ? 'not_yet_valid' : 'current';
}

/**
 * Tells the text of a license, whole or not, from the path of a file: its header is a JSON object,
 * which begins like this in base64url, and there is no separator of paths in it.
 */
export function isLicenseText(text: string): boolean {
  return /^\s*eyJ[^/\\]*$/.test(text);
}

/**
 * What the only block of a PEM text (RFC 7468) says it is, such as "PUBLIC KEY"; undefined when the
 * text is anything but one block. Who reads a key looks here first: OpenSSL takes a private key, or
 * a certificate, for a public key.
 */
export function pemLabel(text: string): string | undefined {
  const block = /^-----BEGIN ([A-Z0-9 ]+)-----[A-Za-z0-9+/=\s]+-----END ([A-Z0-9 ]+)-----$/.exec(
    text.trim(),
  );
  return block !== null && block[1] === block[2] ? block[1] : undefined;
}

function checkLength(text: string): void {
  if (text.length > LICENSE_CHARACTERS_MAX) {
    throw new LicenseFault(`is longer than ${LICENSE_CHARACTERS_MAX} characters`);
  }
}

function check<Shape extends z.ZodType>(
  shape: Shape,
  value: unknown,
  what: string,
): z.infer<Shape> {
  const checked = shape.safeParse(value);
  if (checked.success) return checked.data;
  const [issue] = checked.error.issues;
  const path = issue?.path.join('.') ?? '';
  throw new LicenseFault(
    `has a fault in its ${what}: ${path}${path === '' ? '' : ': '}${issue?.message}`,
  );
}

function parseJson(part: string, what: string): unknown {
  const bytes = decodeBase64Url(part, what);
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch (cause) {
    throw new LicenseFault(`has a part that is no JSON, its ${what}`, { cause });
  }
}

function encodeBase64Url(bytes: Uint8Array): string {
  const base64 = btoa(String.fromCharCode(...bytes));
  return base64.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

function decodeBase64Url(text: string, what: string): Uint8Array {
  if (/^[\w-]*$/.test(text) && text.length % 4 !== 1) {
    const base64 = text.replaceAll('-', '+').replaceAll('_', '/');
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    // The last character can have bits that are not used: another spelling of the same bytes is
    // refused.
    if (encodeBase64Url(bytes) === text) return bytes;
  }
  throw new LicenseFault(`has a part that is not base64url, its ${what}`);
}
