import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { Problem } from '#base/problem.ts';
import { isLicenseText } from '@trellis/contract/license.ts';
import { LICENSE_CHARACTERS_MAX } from '@trellis/contract/limits.ts';
import type { WorkspaceOptions } from './workspace.ts';
import { verifyLicense, type License, type LicenseTexts } from './license.ts';

/** What a process is started with. */
export interface LicenseSettings {
  /**
   * `MSK_LICENSE` and `MSK_LICENSE_PUBLIC_KEY`, each the text or the path of a file (open-shapes,
   * section 1).
   */
  readonly license: string | null;
  readonly publicKey: string | null;
  /** Absolute: what relative paths begin at. */
  readonly folder: string;
}

export function licenseSettings(
  options: Pick<WorkspaceOptions, 'config' | 'secrets' | 'startFolder'>,
) {
  const { config, secrets, startFolder: folder } = options;
  return { license: secrets.license, publicKey: config.licensePublicKey, folder };
}

/**
 * The license of a process, verified at the time `now` in milliseconds since the Unix epoch; null
 * when `MSK_LICENSE` is not set. Problems: those of `verifyLicense` and of `readLicenseTexts`.
 */
export function readLicense(given: LicenseSettings & { readonly now: number }): License | null {
  const texts = readLicenseTexts(given);
  return texts === null ? null : verifyLicense({ ...texts, now: given.now });
}

/**
 * Null when `MSK_LICENSE` is not set. Throws `license_invalid`, with `details.variable` for a file
 * that cannot be read.
 */
export function readLicenseTexts(given: LicenseSettings): LicenseTexts | null {
  const { license, publicKey, folder } = given;
  if (license === null) return null;
  if (publicKey === null) {
    throw new Problem('license_invalid', 'MSK_LICENSE cannot be verified without a public key', {
      hint: 'Set MSK_LICENSE_PUBLIC_KEY to the public.pem of the authority, its text or its path.',
    });
  }
  return {
    license: isLicenseText(license)
      ? license
      : readSmallFile('MSK_LICENSE', resolve(folder, license)),
    publicKey: publicKey.includes('-----BEGIN')
      ? publicKey
      : readSmallFile('MSK_LICENSE_PUBLIC_KEY', resolve(folder, publicKey)),
  };
}

function readSmallFile(variable: string, path: string): string {
  try {
    const file = statSync(path);
    if (!file.isFile()) throw new Error('it is no file');
    if (file.size > LICENSE_CHARACTERS_MAX) throw new Error('it is too long');
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw unreadable(variable, path, cause);
  }
}

/**
 * What was meant as a text can have been taken for a path: a part of it tells enough, and what Node
 * says has it all.
 */
function unreadable(variable: string, path: string, cause: unknown): Problem {
  const shown = JSON.stringify(path.length > 80 ? `${path.slice(0, 80)}...` : path);
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : undefined;
  const why = code ?? (cause instanceof Error ? cause.message : String(cause));
  const reason = code === 'ENOENT' ? 'there is no such file' : why;
  return new Problem('license_invalid', `${variable} is ${shown}: ${reason}`, {
    hint: 'Give the text itself, or the path of a file that this user can read.',
    details: { variable },
    cause,
  });
}
