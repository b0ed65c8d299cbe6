import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FrontEndFile, FrontEndService } from '../front-end-service.ts';
import { REQUEST_ID } from '../header-names.ts';
import { cacheControlOf, contentTypeOf, isPage } from './content-types.ts';
import { renderPage, type RenderedPage } from './rendered-page.ts';

export interface FrontEndOptions {
  readonly securityHeaders: Readonly<Record<string, string>>;
  /** Of the server that a replica follows, which its pages may call too; null on a primary. */
  readonly primaryAddress: string | null;
}

/** Sends the files of the front end, to anybody and at any time: also before the graph is loaded. */
export class FrontEndAnswers {
  readonly #service: FrontEndService;
  readonly #options: FrontEndOptions;
  /** As it was sent last. */
  readonly #rendered = new WeakMap<FrontEndFile, RenderedPage>();

  constructor(service: FrontEndService, options: FrontEndOptions) {
    this.#service = service;
    this.#options = options;
  }

  has(path: string): boolean {
    return this.#service.file(fileNameOf(path)) !== undefined;
  }

  /** Answers GET and HEAD of a path that there is. */
  send(path: string, request: FastifyRequest, reply: FastifyReply): void {
    const name = fileNameOf(path);
    const file = this.#service.file(name);
    if (file === undefined) return;
    const page = isPage(name) ? this.#render(file) : undefined;
    const { bytes, digest } = page ?? file;
    const etag = `"${digest.slice(0, 32)}"`;
    reply.headers({
      ...this.#options.securityHeaders,
      ...(page && { 'content-security-policy': page.contentSecurityPolicy }),
      [REQUEST_ID]: request.id,
      'cache-control': cacheControlOf(name),
      etag,
    });
    if (isKnown(request.headers['if-none-match'], etag)) reply.code(304).send();
    else reply.header('content-type', contentTypeOf(name)).send(bytes);
  }

  #render(file: FrontEndFile): RenderedPage {
    const replicaUrls = this.#service.replicaUrls();
    const last = this.#rendered.get(file);
    if (last?.replicaUrls === replicaUrls) return last;
    const page = renderPage(file, replicaUrls, this.#options.primaryAddress);
    this.#rendered.set(file, page);
    return page;
  }
}

function fileNameOf(path: string): string {
  return path === '/' ? '/index.html' : path;
}

/** Whether the client has it already (RFC 9110, section 13.1.2); a proxy may have made the tag a weak one. */
function isKnown(condition: string | undefined, etag: string): boolean {
  if (condition === undefined) return false;
  if (condition.trim() === '*') return true;
  return condition.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
}
