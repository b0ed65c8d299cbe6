import { z } from 'zod';

/** The forms in which a whole graph leaves, with their media types and endings of files. */
export const EXPORT_FORMATS = {
  jsonl: { mediaType: 'application/x-ndjson', ending: 'jsonl' },
  nquads: { mediaType: 'application/n-quads', ending: 'nq' },
  jsonld: { mediaType: 'application/ld+json', ending: 'jsonld' },
  graphml: { mediaType: 'application/graphml+xml', ending: 'graphml' },
} as const;
export type ExportFormat = keyof typeof EXPORT_FORMATS;

export const exportFormats = Object.keys(EXPORT_FORMATS) as [ExportFormat, ...ExportFormat[]];

export const exportQuery = z.object({
  format: z.enum(exportFormats).optional(),
  as: z.string().min(1).max(320).optional(),
});
