import { createHash } from 'node:crypto';
import type { FrontEndFile } from '../services.ts';

/** A page as it is sent: with what the server tells it, and the policy under which it runs. */
export interface RenderedPage {
  readonly replicaUrls: string;
  readonly bytes: Buffer;
  /** SHA-256 of the bytes, hexadecimal. */
  readonly digest: string;
  readonly contentSecurityPolicy: string;
}

/** A worker runs under the policy that comes with its code, not under that of its page. */
export const SCRIPT_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "connect-src 'self'",
  "frame-ancestors 'none'",
].join(';');

/**
 * Puts the page globals in front of the first script: `MSKREPLICAURLS` (specification, section
 * 2.9), and `MSKSERVERPATH`, the way from the folder of the page to where `api/` is, such as "./"
 * or "../", which a page below a path of a proxy cannot know. The policy names the script by its
 * hash and not by a nonce: so a page is the same as long as the list is, and a browser that has it
 * may keep it.
 */
export function renderPage(
  path: string,
  file: FrontEndFile,
  replicaUrls: string,
  primaryAddress: string | null,
): RenderedPage {
  // In a string of JSON it is the same, and no end tag of the page's.
  const text = JSON.stringify(replicaUrls).replaceAll('<', '\\u003c');
  const script = `globalThis.MSKREPLICAURLS=${text};globalThis.MSKSERVERPATH="${serverPath(path)}"`;
  const html = file.bytes.toString('utf8');
  const found = html.search(/<script\b/i);
  const at = found < 0 ? html.length : found;
  const bytes = Buffer.from(`${html.slice(0, at)}<script>${script}</script>${html.slice(at)}`);
  const others = [...(primaryAddress === null ? [] : [primaryAddress]), ...replicaUrls.split(';')];
  const origins = new Set(others.flatMap((url) => URL.parse(url)?.origin ?? []));
  return {
    replicaUrls,
    bytes,
    digest: createHash('sha256').update(bytes).digest('hex'),
    contentSecurityPolicy: [
      "default-src 'none'",
      `script-src 'self' 'sha256-${createHash('sha256').update(script).digest('base64')}'`,
      "style-src 'self'",
      "img-src 'self' data: blob:",
      "font-src 'self'",
      "worker-src 'self'",
      "manifest-src 'self'",
      ["connect-src 'self'", ...origins].join(' '),
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join(';'),
  };
}

function serverPath(path: string): string {
  const depth = path.split('/').length - 2;
  return depth === 0 ? './' : '../'.repeat(depth);
}
