import { z } from 'zod';
import type { Immutable } from '../immutable.ts';
import { FILE_BYTES_MAX, UPLOAD_NAME_CHARACTERS_MAX } from '../limits.ts';
import { NUMBER_CHARACTERS_MAX } from '../request-limits.ts';
import { uidText } from '../bounded-shapes.ts';
import { fileEntry } from './admin-agent.ts';

/**
 * Types of files that a browser shows without running anything: others are sent as bytes to be
 * saved.
 */
export const HARMLESS_MEDIA_TYPES: readonly string[] = [
  'text/plain',
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/avif',
];

export const fileInPath = z.object({ uid: uidText.min(1) });
export const uploadInPath = z.object({ id: z.string().min(1).max(100) });

/** A file of a node, as uploads answer it (specification, section 2.8). */
export const namedFileEntry = fileEntry.extend({ Name: z.string() });
export type NamedFileEntry = Immutable<z.infer<typeof namedFileEntry>>;

export const nodeFile = namedFileEntry.extend({
  /** Digest of the content, hexadecimal. */
  Sha256: z.string(),
  /** When it was uploaded. */
  Timestamp: z.string(),
  /** UID of the user; null for a token without one. */
  UploadedBy: z.string().nullable(),
  /**
   * `pending` until it was looked for; `unsupported` where nobody knows how to take text out of
   * such a file.
   */
  TextState: z.enum(['pending', 'extracted', 'failed', 'unsupported']),
  /** Why there is no text, or not all of it. */
  TextError: z.string().nullable(),
});
export type NodeFile = Immutable<z.infer<typeof nodeFile>>;

/** An upload in pieces, as it is begun. */
export const newFileUpload = z.strictObject({
  name: z.string().min(1).max(UPLOAD_NAME_CHARACTERS_MAX),
  /** Bytes. */
  size: z.int().min(0).max(FILE_BYTES_MAX),
  contentType: z.string().max(200).optional(),
});

export const fileUpload = z.strictObject({
  id: z.string(),
  /** Bytes that are kept: the next ones follow there. */
  offset: z.int().min(0),
  size: z.int().min(0),
  name: z.string(),
  contentType: z.string(),
  /** When it is dropped unless more arrives before. */
  expiresAt: z.string(),
  /** The file, with the last byte; there is no upload any more then. */
  file: namedFileEntry.nullable(),
});
export type FileUpload = Immutable<z.infer<typeof fileUpload>>;

/** Where the bytes begin that are sent, as in the tus protocol. */
export const uploadOffset = z.object({
  'upload-offset': z
    .string()
    .max(NUMBER_CHARACTERS_MAX)
    .regex(/^\d{1,15}$/, 'must be a whole number')
    .transform(Number),
});
