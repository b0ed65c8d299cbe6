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
export function isCompressible(contentType: string): boolean {
  return contentType.includes('charset=') || contentType === 'application/wasm';
}

export function isPage(path: string): boolean {
  return path.endsWith('.html');
}

/** Whether a file may be the code of a worker. */
export function isScript(path: string): boolean {
  return /\.m?js$/.test(path);
}

/** A name such as `app-0123456789abcdef.js`: so many hexadecimal digits are no accident. */
const HASHED_NAME = /[.-][0-9a-f]{16,}\.\w+$/;

/**
 * Files with a hash in their names never change. Browsers ask again for pages and all other files.
 */
export function cacheControlOf(path: string): string {
  return HASHED_NAME.test(path) ? 'public, max-age=31536000, immutable' : 'no-cache';
}
