import { sign, verify } from 'node:crypto';
import {
  formatLicense,
  isLicenseText,
  LICENSE_FEATURES,
  LicenseFault,
  licenseTime,
  parseLicense,
  type LicenseClaims,
  type LicenseTime,
  type ParsedLicense,
} from '@trellis/contract/license.ts';
import { type Command, InvalidArgumentError } from 'commander';
import type { CommandContext, Run } from '../command-context.ts';
import { CommandFailure, EXIT_FAILED, EXIT_GOOD, WrongUsage } from '../failure.ts';
import { createKeyFiles, readLicenseFile, readPrivateKey, readPublicKey } from '../license-keys.ts';
import { readAll } from '../prompt.ts';
import { harmless, type Terminal } from '../terminal.ts';

const DAYS_DEFAULT = 365;
const DAYS_MAX = 36_500;
const DAY_SECONDS = 24 * 60 * 60;
/** A neutral text: the name of the host or its user would be published with the license. */
const SUBJECT_DEFAULT = 'trellis';

interface IssueOptions {
  readonly features: string[];
  readonly key: string;
  readonly days: number;
  readonly subject: string;
}

export function addLicense(program: Command, run: Run): void {
  const license = program
    .command('license')
    .summary('make keys, issue and show licenses')
    .description(
      'Makes the keys of a license authority, issues and shows licenses. Needs no server.',
    );
  license
    .command('keygen')
    .description(
      'Makes a pair of Ed25519 keys: private.pem signs licenses, public.pem verifies them ' +
        '(MSK_LICENSE_PUBLIC_KEY). Keep private.pem where no server can read it.',
    )
    .requiredOption('--out <folder>', 'folder for the two files; created if missing')
    .option('--force', 'replace existing keys; licenses that they signed become invalid')
    .addHelpText('after', '\nExamples:\n  $ trellis license keygen --out authority')
    .action(run(makeKeys));
  license
    .command('issue')
    .description('Issues a license and prints it.')
    .requiredOption(
      '--features <name...>',
      `features that it allows; this version knows ${LICENSE_FEATURES.join(', ')}`,
    )
    .requiredOption('--key <file>', 'private.pem of the authority')
    .option('--days <number>', `days until it expires, up to ${DAYS_MAX}`, parseDays, DAYS_DEFAULT)
    .option('--subject <name>', 'who it is issued to, as a note for people', SUBJECT_DEFAULT)
    .addHelpText(
      'after',
      `
Examples:
  $ trellis license issue --features Replicas --key authority/private.pem
  $ trellis license issue --features Replicas --key authority/private.pem --days 30 --subject "Example Ltd" > license.jws`,
    )
    .action(run(issueLicense));
  license
    .command('show')
    .description(
      'Shows what a license says. Exit code 1 when it has expired, or when --public-key does ' +
        'not verify it.',
    )
    .argument('<license>', 'text of the license, a file, or "-" for standard input')
    .option('--public-key <file>', 'public.pem of the authority, to verify the signature with')
    .addHelpText(
      'after',
      `
Examples:
  $ trellis license show license.jws --public-key authority/public.pem
  $ trellis license issue --features Replicas --key authority/private.pem | trellis license show -`,
    )
    .action(run(showLicense));
}

function parseDays(text: string): number {
  const days = /^\d+$/.test(text) ? Number(text) : 0;
  if (days >= 1 && days <= DAYS_MAX) return days;
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${DAYS_MAX}.`);
}

function makeKeys(
  { output }: CommandContext,
  options: { readonly out: string; readonly force?: true },
): void {
  if (options.out === '') throw new WrongUsage('--out needs the name of a folder');
  const files = createKeyFiles(options.out, { replace: options.force ?? false });
  output.note('Made the keys. Who has private.pem can issue licenses: keep it to yourself.');
  output.data(files, `${files.publicKey}\n${files.privateKey}`);
}

function issueLicense({ output }: CommandContext, options: IssueOptions): void {
  const features = [...new Set(options.features.flatMap((names) => names.split(',')))];
  const known: readonly string[] = LICENSE_FEATURES;
  const key = readPrivateKey(options.key);
  const iat = Math.floor(Date.now() / 1_000);
  const claims = { sub: options.subject, features, exp: iat + options.days * DAY_SECONDS, iat };
  let license: string;
  try {
    license = formatLicense(claims, (bytes) => sign(null, bytes, key));
  } catch (cause) {
    if (!(cause instanceof LicenseFault)) throw cause;
    throw new WrongUsage(`the license ${cause.message}`, 'See --features and --subject.');
  }
  for (const name of features.filter((feature) => !known.includes(feature))) {
    output.note(`This version knows no feature "${harmless(name)}", only ${known.join(', ')}.`);
  }
  output.note(`Issued to ${harmless(claims.sub)}, good until ${timeText(claims.exp)}.`);
  output.data({ license, ...viewOf(claims) }, license);
}

async function showLicense(
  { output, terminal }: CommandContext,
  options: { readonly publicKey?: string },
  given: string,
): Promise<number> {
  const text = await licenseText(terminal, given);
  const key = options.publicKey === undefined ? undefined : readPublicKey(options.publicKey);
  const what = isLicenseText(given) || given === '-' ? 'the license' : given;
  const { claims, signedBytes, signature } = parse(text, what);
  const state = licenseTime(claims, Date.now());
  const verified = key === undefined ? null : verify(null, signedBytes, key, signature);
  const view = { ...viewOf(claims), state, verified };
  const rows = [
    ['subject', view.subject],
    ['features', view.features.join(' ') || 'none'],
    ['issued', view.issuedAt],
    ['valid from', view.validFrom],
    ['expires', view.expiresAt],
    ['state', STATE_TEXTS[state]],
    ['signature', verified === null ? 'not verified' : verified ? 'good' : 'WRONG'],
  ];
  const shown = rows.filter(([, value]) => value !== null);
  output.data(
    view,
    shown.map(([name, value]) => `${name?.padEnd(12)}${harmless(value ?? '')}`).join('\n'),
  );
  if (verified === null)
    output.note('Not verified: give the key of the authority as --public-key.');
  if (verified === false) output.note('The key in --public-key has not signed this license.');
  return state === 'current' && verified !== false ? EXIT_GOOD : EXIT_FAILED;
}

const STATE_TEXTS: Readonly<Record<LicenseTime, string>> = {
  current: 'current',
  expired: 'EXPIRED',
  not_yet_valid: 'NOT YET VALID',
};

/** A license as it is shown; `--json` prints this object. */
function viewOf({ sub, features, exp, iat, nbf }: LicenseClaims) {
  return {
    subject: sub,
    features,
    issuedAt: iat === undefined ? null : timeText(iat),
    validFrom: nbf === undefined ? null : timeText(nbf),
    expiresAt: timeText(exp),
  };
}

async function licenseText(terminal: Terminal, given: string): Promise<string> {
  if (isLicenseText(given)) return given;
  return given === '-' ? readAll(terminal) : readLicenseFile(given);
}

function parse(text: string, what: string): ParsedLicense {
  try {
    return parseLicense(text);
  } catch (cause) {
    if (!(cause instanceof LicenseFault)) throw cause;
    throw new CommandFailure(`${what} ${cause.message}`, {
      hint: 'A license is what "trellis license issue" prints: three parts with dots between.',
      cause,
    });
  }
}

function timeText(seconds: number): string {
  return new Date(seconds * 1_000).toISOString();
}
