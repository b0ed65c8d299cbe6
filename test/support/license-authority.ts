import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runTrellis, type Outcome } from './command-line.ts';
import { temporaryFolder } from './trellis-process.ts';

/**
 * Who issues licenses, with keys that `trellis license keygen` has made. Licenses are read and
 * signed here with nothing but `node:crypto`, as any other implementation of JWS does it.
 */
export class LicenseAuthority implements AsyncDisposable {
  /** The folder of the test; the keys are in a folder below it. */
  readonly folder: string;
  readonly keys: string;
  readonly privatePem: string;
  readonly publicPem: string;
  readonly #folder: AsyncDisposable;

  private constructor(folder: Awaited<ReturnType<typeof temporaryFolder>>) {
    this.#folder = folder;
    this.folder = folder.path;
    this.keys = join(folder.path, 'a/new/authority');
    this.privatePem = join(this.keys, 'private.pem');
    this.publicPem = join(this.keys, 'public.pem');
  }

  static async create(): Promise<LicenseAuthority> {
    const authority = new LicenseAuthority(await temporaryFolder());
    const { code, stderr } = await authority.run(['keygen', '--out', authority.keys]);
    if (code !== 0) throw new Error(stderr);
    return authority;
  }

  /** Runs `trellis license`. No server is there to be asked. */
  run(args: readonly string[], input?: string): Promise<Outcome> {
    const surroundings = { home: this.folder, server: 'http://127.0.0.1:1', input };
    return runTrellis(['license', ...args], surroundings);
  }

  issue(...args: string[]): Promise<Outcome> {
    return this.run(['issue', '--features', 'Replicas', '--key', this.privatePem, ...args]);
  }

  /** A license that this authority has signed, whatever it claims. */
  sign(claims: Readonly<Record<string, unknown>>): string {
    const text = [{ alg: 'EdDSA', typ: 'JWT' }, claims]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.');
    const key = createPrivateKey(readFileSync(this.privatePem));
    return `${text}.${sign(null, Buffer.from(text), key).toString('base64url')}`;
  }

  /** What a license says; throws unless this authority has signed it. */
  read(text: string): { readonly header: unknown; readonly claims: Record<string, unknown> } {
    const [header = '', claims = '', signature = '', ...more] = text.split('.');
    const key = createPublicKey(readFileSync(this.publicPem));
    const signed = Buffer.from(`${header}.${claims}`);
    if (more.length > 0 || !verify(null, signed, key, Buffer.from(signature, 'base64url'))) {
      throw new Error(`no license of this authority: ${text}`);
    }
    const decode = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString());
    return { header: decode(header), claims: decode(claims) };
  }

  /** Writes a file of the test's, and answers its path. */
  file(name: string, text: string): string {
    const path = join(this.folder, name);
    writeFileSync(path, text);
    return path;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve(this.#folder[Symbol.asyncDispose]());
  }
}
