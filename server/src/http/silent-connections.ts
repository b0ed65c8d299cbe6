/** A socket, as far as it is looked at. */
interface Connection {
  readonly bytesRead: number;
  readonly bytesWritten: number;
  destroy(): unknown;
}

/**
 * Cuts off connections over which no byte has gone either way for `silentMs`, at the latest when it
 * is twice as long. One timer looks at all of them: one for each connection, as Node has them,
 * would be set anew with every request.
 */
export function cutOffSilentConnections(
  connections: ReadonlySet<Connection>,
  silentMs: number,
): NodeJS.Timeout {
  const bytesBefore = new WeakMap<object, number>();
  return setInterval(() => {
    for (const connection of connections) {
      const bytes = connection.bytesRead + connection.bytesWritten;
      if (bytesBefore.get(connection) === bytes) connection.destroy();
      bytesBefore.set(connection, bytes);
    }
  }, silentMs).unref();
}
