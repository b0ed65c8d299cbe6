import type { ErrorGroup } from './entry.ts';

/** Files of nodes, and of conversations with the admin agent. */
export const fileErrors = {
  file_exists: {
    status: 409,
    title: 'File exists',
    hint: 'The file in details.entry has this name; upload yours under another one.',
  },
  file_not_found: {
    status: 404,
    title: 'File not found',
    hint: 'It does not exist, or you may not see it: list the files there are.',
  },
  too_many_files: {
    status: 409,
    title: 'Too many files',
    hint: 'Delete files that are not needed any more, or use another node or conversation.',
  },
  range_not_satisfiable: {
    status: 416,
    title: 'No such range',
    hint: 'Ask for bytes that the file has: details.size says how many there are.',
  },
  upload_not_found: {
    status: 404,
    title: 'Upload not found',
    hint: 'It is done, given up, out of date or not yours: begin another one.',
  },
  upload_conflict: {
    status: 409,
    title: 'Upload is elsewhere',
    hint: 'Read the upload again, and send the bytes from its offset on.',
  },
} as const satisfies ErrorGroup;
