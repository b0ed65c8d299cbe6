import type { FastifyReply, FastifyRequest } from 'fastify';
import type { PrimaryAddress } from '#base/primary-address.ts';
import type { FrontEndFile, FrontEndService } from '../services.ts';
import { REQUEST_ID } from '../headers.ts';
import {
  acceptedEncodings,
  CompressedFiles,
  type Encoding,
  type SentBytes,
} from './compressed-files.ts';
import { createHash } from 'node:crypto';

export interface FrontEndOptions {
  readonly securityHeaders: Readonly<Record<string, string>>;
  /** The address of the primary, which pages of a replica may call too; null on a primary. */
  readonly primaryAddress: PrimaryAddress | null;
}

const PAGE = 'index.html';

/**
 * Sends the files of the front end to anybody, also before the graph is loaded.
 */
export class FrontEndAnswers {
  readonly #service: FrontEndService;
  readonly #options: FrontEndOptions;
  readonly #compressed = new CompressedFiles();
  /** The pages as they were sent last, by path. */
  readonly #rendered = new WeakMap<FrontEndFile, Map<string, RenderedPage>>();

  constructor(service: FrontEndService, options: FrontEndOptions) {
    this.#service = service;
    this.#options = options;
  }

  /** Whether the path is a file, or a folder with a page. */
  has(path: string): boolean {
    return this.#service.file(fileNameOf(path)) !== undefined || this.#isFolder(path);
  }

  /** Answers GET and HEAD of a path that exists (see `has`). */
  send(path: string, request: FastifyRequest, reply: FastifyReply): void {
    reply.headers({ ...this.#options.securityHeaders, [REQUEST_ID]: request.id });
    const name = fileNameOf(path);
    const file = this.#service.file(name);
    if (file === undefined) redirectToFolder(path, request, reply);
    else this.#sendFile(name, file, request, reply);
  }

  #isFolder(path: string): boolean {
    return !path.endsWith('/') && this.#service.file(`${path}/${PAGE}`) !== undefined;
  }

  #sendFile(name: string, file: FrontEndFile, request: FastifyRequest, reply: FastifyReply): void {
    const page = isPage(name) ? this.#render(name, file) : undefined;
    const content = page ?? file;
    const contentType = contentTypeOf(name);
    const accepted = isCompressible(contentType)
      ? acceptedEncodings(request.headers['accept-encoding'])
      : [];
    if (isCompressible(contentType)) reply.header('vary', 'accept-encoding');
    const policy = page?.contentSecurityPolicy ?? (isScript(name) ? SCRIPT_POLICY : undefined);
    if (policy !== undefined) reply.header('content-security-policy', policy);
    reply.header('cache-control', cacheControlOf(name));
    const known = knownTag(request.headers['if-none-match'], content.digest, accepted);
    if (known !== undefined) {
      reply.header('etag', known).code(304).send();
      return;
    }
    reply.header('content-type', contentType);
    const sendBytes = ({ bytes, encoding }: SentBytes): void => {
      if (encoding !== null) reply.header('content-encoding', encoding);
      reply.header('etag', tagOf(content.digest, encoding)).send(bytes);
    };
    const sent = this.#compressed.send(content, accepted[0]);
    if (sent instanceof Promise) void sent.then(sendBytes);
    else sendBytes(sent);
  }

  #render(path: string, file: FrontEndFile): RenderedPage {
    const replicaUrls = this.#service.replicaUrls();
    const primaryAddress = this.#options.primaryAddress?.();
    const pages = this.#rendered.get(file) ?? new Map<string, RenderedPage>();
    const last = pages.get(path);
    if (last?.replicaUrls === replicaUrls && last.primaryAddress === primaryAddress) return last;
    const page = renderPage(path, file, replicaUrls, primaryAddress);
    this.#rendered.set(file, pages.set(path, page));
    return page;
  }
}

/**
 * Redirects to the folder with a slash at the end: without it, a page would look for its files one
 * folder above.
 */
function redirectToFolder(path: string, request: FastifyRequest, reply: FastifyReply): void {
  const query = request.url.slice(path.length);
  const folder = path.slice(path.lastIndexOf('/') + 1);
  // Relative, because a proxy may have removed the beginning of the path.
  reply.header('location', `./${folder}/${query}`).code(308).send();
}

function fileNameOf(path: string): string {
  return path.endsWith('/') ? path + PAGE : path;
}

/** Each encoding is another representation, with its own tag (RFC 9110, section 8.8.3). */
function tagOf(digest: string, encoding: Encoding | null): string {
  return `"${digest.slice(0, 32)}${encoding === null ? '' : `-${encoding}`}"`;
}

/**
 * The tag of an encoding that the client has and accepts (RFC 9110, section 13.1.2). A proxy may
 * have made it a weak tag.
 */
function knownTag(
  condition: string | undefined,
  digest: string,
  accepted: readonly Encoding[],
): string | undefined {
  if (condition === undefined) return undefined;
  if (condition.trim() === '*') return tagOf(digest, null);
  const known = condition.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return [...accepted, null]
    .map((encoding) => tagOf(digest, encoding))
    .find((tag) => known.includes(tag));
}

/** A page as it is sent: with the values that the server sets, and its security policy. */
interface RenderedPage {
  readonly replicaUrls: string;
  readonly primaryAddress: string | undefined;
  readonly bytes: Buffer;
  /** SHA-256 of the bytes, hexadecimal. */
  readonly digest: string;
  readonly contentSecurityPolicy: string;
}

/** A worker runs under the policy that comes with its code, not under that of its page. */
const SCRIPT_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "connect-src 'self'",
  "frame-ancestors 'none'",
].join(';');

/**
 * Sets the page globals before the first script: `MSKREPLICAURLS` (specification, section 2.9), and
 * `MSKSERVERPATH`, the relative path from the folder of the page to that of `api/`, such as "./" or
 * "../": a page below a path of a proxy cannot know it. The policy names the script by its hash and
 * not by a nonce, so the page changes only with the list, and a browser may keep it.
 */
function renderPage(
  path: string,
  file: FrontEndFile,
  replicaUrls: string,
  primaryAddress: string | undefined,
): RenderedPage {
  // The same value in JSON, but it cannot end the script.
  const text = JSON.stringify(replicaUrls).replaceAll('<', '\\u003c');
  const script = `globalThis.MSKREPLICAURLS=${text};globalThis.MSKSERVERPATH="${serverPath(path)}"`;
  const html = file.bytes.toString('utf8');
  const found = html.search(/<script\b/i);
  const at = found < 0 ? html.length : found;
  const bytes = Buffer.from(`${html.slice(0, at)}<script>${script}</script>${html.slice(at)}`);
  const others = [primaryAddress ?? '', ...replicaUrls.split(';')];
  const origins = new Set(others.flatMap((url) => URL.parse(url)?.origin ?? []));
  return {
    replicaUrls,
    primaryAddress,
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

/** The content type of a file, by the ending of its name. Any other file is plain bytes. */
const CONTENT_TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  mjs: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  json: 'application/json; charset=utf-8',
  map: 'application/json; charset=utf-8',
  txt: 'text/plain; charset=utf-8',
  webmanifest: 'application/manifest+json; charset=utf-8',
  svg: 'image/svg+xml; charset=utf-8',
  png: 'image/png',
  jpg: 'image/jpeg',
  webp: 'image/webp',
  ico: 'image/x-icon',
  woff2: 'font/woff2',
  wasm: 'application/wasm',
};

export function contentTypeOf(path: string): string {
  const extension = path.slice(path.lastIndexOf('.') + 1).toLowerCase();
  const isKnown = Object.hasOwn(CONTENT_TYPES, extension);
  return (isKnown ? CONTENT_TYPES[extension] : undefined) ?? 'application/octet-stream';
}

/** Whether compression makes it smaller: pictures and fonts are compressed already. */
function isCompressible(contentType: string): boolean {
  return contentType.includes('charset=') || contentType === 'application/wasm';
}

export function isPage(path: string): boolean {
  return path.endsWith('.html');
}

/** Whether a file may be the code of a worker. */
function isScript(path: string): boolean {
  return /\.m?js$/.test(path);
}

/** A name such as `app-0123456789abcdef.js`: so many hexadecimal digits are no accident. */
const HASHED_NAME = /[.-][0-9a-f]{16,}\.\w+$/;

/**
 * Files with a hash in their names never change. Browsers ask again for pages and all other files.
 */
function cacheControlOf(path: string): string {
  return HASHED_NAME.test(path) ? 'public, max-age=31536000, immutable' : 'no-cache';
}
