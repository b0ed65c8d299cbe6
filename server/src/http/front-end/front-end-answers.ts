import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FrontEndFile, FrontEndService } from '../services.ts';
import { REQUEST_ID } from '../header-names.ts';
import {
  acceptedEncodings,
  CompressedFiles,
  type Encoding,
  type SentBytes,
} from './compressed-files.ts';
import {
  cacheControlOf,
  contentTypeOf,
  isCompressible,
  isPage,
  isScript,
} from './content-types.ts';
import { renderPage, SCRIPT_POLICY, type RenderedPage } from './rendered-page.ts';

export interface FrontEndOptions {
  readonly securityHeaders: Readonly<Record<string, string>>;
  /** The address of the primary, which pages of a replica may call too; null on a primary. */
  readonly primaryAddress: string | null;
}

const PAGE = 'index.html';

/**
 * Sends the files of the front end, to anybody and at any time: also before the graph is loaded.
 */
export class FrontEndAnswers {
  readonly #service: FrontEndService;
  readonly #options: FrontEndOptions;
  readonly #compressed = new CompressedFiles();
  /** As they were sent last, by their paths. */
  readonly #rendered = new WeakMap<FrontEndFile, Map<string, RenderedPage>>();

  constructor(service: FrontEndService, options: FrontEndOptions) {
    this.#service = service;
    this.#options = options;
  }

  /** Whether it is a file, or a folder with a page. */
  has(path: string): boolean {
    return this.#service.file(fileNameOf(path)) !== undefined || this.#isFolder(path);
  }

  /** Answers GET and HEAD of a path that there is. */
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
    const pages = this.#rendered.get(file) ?? new Map<string, RenderedPage>();
    const last = pages.get(path);
    if (last?.replicaUrls === replicaUrls) return last;
    const page = renderPage(path, file, replicaUrls, this.#options.primaryAddress);
    this.#rendered.set(file, pages.set(path, page));
    return page;
  }
}

/**
 * A folder is asked for with a slash at its end, or its page would look for its files beside it.
 */
function redirectToFolder(path: string, request: FastifyRequest, reply: FastifyReply): void {
  const query = request.url.slice(path.length);
  const folder = path.slice(path.lastIndexOf('/') + 1);
  // Relative: a proxy may have taken away what stands before it.
  reply.header('location', `./${folder}/${query}`).code(308).send();
}

function fileNameOf(path: string): string {
  return path.endsWith('/') ? path + PAGE : path;
}

/** Each form is another representation, with a tag of its own (RFC 9110, section 8.8.3). */
function tagOf(digest: string, encoding: Encoding | null): string {
  return `"${digest.slice(0, 32)}${encoding === null ? '' : `-${encoding}`}"`;
}

/**
 * The tag of a form that the client has and takes (RFC 9110, section 13.1.2); a proxy may have made
 * it a weak one.
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
