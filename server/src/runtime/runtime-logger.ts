/** The part of the server's logger that the runtime uses; pino's fits. */
export interface RuntimeLogger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
