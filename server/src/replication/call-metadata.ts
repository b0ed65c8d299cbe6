/** The keys of what every call of a session carries; see `replication.proto`. */
export const METADATA = {
  session: 'trellis-session',
  call: 'trellis-call',
  proof: 'trellis-proof',
} as const;
