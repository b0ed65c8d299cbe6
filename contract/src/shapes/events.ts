import { z } from 'zod';
import { HEADER_TEXT_CHARACTERS_MAX } from '../request-limits.ts';

/** Of a stream of Server-Sent Events: what a client that comes back has seen last (HTML standard, section 9.2). */
export const eventStreamHeaders = z.object({
  'last-event-id': z.string().max(HEADER_TEXT_CHARACTERS_MAX).optional(),
});
