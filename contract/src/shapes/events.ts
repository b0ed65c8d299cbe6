import { z } from 'zod';

/** Of a stream of Server-Sent Events: what a client that comes back has seen last (HTML standard, section 9.2). */
export const eventStreamHeaders = z.object({ 'last-event-id': z.string().optional() });
