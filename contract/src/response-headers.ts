/** Headers of answers, with what they say; names as Node gives them are the same in lower case. */
export const responseHeaders = {
  'X-Request-Id': 'Names this request in the log; the `traceId` of an error body is the same.',
  'X-MSK-Sequence':
    'The storage sequence number that the answer reflects. Sent as `X-MSK-Min-Sequence`, later reads reflect at least as much.',
  'Retry-After': 'Seconds to wait before the request is sent again.',
  'WWW-Authenticate': '`Bearer`, with `error="invalid_token"` when a token was sent.',
  Location: 'Where to send the request instead.',
  'Content-Disposition': 'The file name to save the answer under.',
  'Set-Cookie': 'Ties a sign-in to the browser that began it.',
  'MSK-ENDPOINT-KEY':
    'The key of a run of mode "pooling": send it again, and the same run answers.',
  'MSK-ENDPOINT-PROGRESS':
    'How far a run is, as the query of a URL: `fraction=0.25&text=Reading+books`.',
  'MSK-CACHE': 'Whether the answer was kept from an earlier run.',
  Age: 'Seconds since a kept answer was made.',
  'MSK-CHAT': 'The conversation, told before the answer is there.',
  'Mcp-Session-Id': 'To be sent with every later message of the same client.',
} as const;

export type ResponseHeader = keyof typeof responseHeaders;
