/** Runs the endpoint as other systems do: with an endpoint token. For a POSIX shell. */
export function curlCommand(baseUrl: URL, name: string, body: string): string {
  const path = name.split('/').map(encodeURIComponent).join('/');
  const url = new URL(`api/endpoints/token/run/${path}`, baseUrl);
  const parts = [
    `curl -X POST ${quoted(url.href)}`,
    '-H "Authorization: Bearer $TRELLIS_TOKEN"',
    ...(body.trim() === ''
      ? []
      : [`-H 'Content-Type: application/json'`, `-d ${quoted(body.trim())}`]),
  ];
  return parts.join(' \\\n  ');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
