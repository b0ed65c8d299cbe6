/** Levels of the server's own log, the least urgent first. */
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/**
 * Whose record it is: of the server itself, of its channel to replicas, of the code of an endpoint,
 * or of a job.
 */
export const LOG_ORIGINS = ['server', 'replication', 'endpoint', 'job'] as const;
export type LogOrigin = (typeof LOG_ORIGINS)[number];

/** Levels that endpoints log with. */
export const ENDPOINT_LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type EndpointLogLevel = (typeof ENDPOINT_LOG_LEVELS)[number];
