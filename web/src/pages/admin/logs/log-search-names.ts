/** What the address of the records names: see `LogAddress`. Every page has it, for its routes. */
export const LOG_SEARCH_NAMES = [
  'query',
  'level',
  'origin',
  'endpoint',
  'job',
  'request',
  'range',
  'from',
  'to',
  'cursor',
  'live',
] as const;
