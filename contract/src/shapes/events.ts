import { z } from 'zod';
import { HEADER_TEXT_CHARACTERS_MAX } from '../request-limits.ts';

/** What a client that comes back to a stream has seen last (HTML standard, section 9.2). */
export const eventStreamHeaders = z.object({
  'last-event-id': z.string().max(HEADER_TEXT_CHARACTERS_MAX).optional(),
});
