/**
 * Where the service takes WebSockets (open-shapes, section 8); `baseUrl` has a slash at its end.
 */
export function webSocketUrl(baseUrl: URL): URL {
  const url = new URL('api/ws', baseUrl);
  url.protocol = baseUrl.protocol === 'https:' ? 'wss:' : 'ws:';
  return url;
}
