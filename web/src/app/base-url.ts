/**
 * Where the service is, with a slash at its end; it may be below a path of a proxy. The server says
 * in the page, with the global `MSKSERVERPATH`, which way it is from there: the built-in front end
 * is served at two paths.
 */
export const BASE_URL = new URL(serverPath(), new URL('.', location.href));

function serverPath(): string {
  const path: unknown = Reflect.get(globalThis, 'MSKSERVERPATH');
  return typeof path === 'string' ? path : './';
}
