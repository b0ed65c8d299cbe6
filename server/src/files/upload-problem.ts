import { Problem } from '#base/problem.ts';
import { FILE_BYTES_MAX } from '@trellis/contract/limits.ts';

export function uploadNotFound(): Problem {
  return new Problem('upload_not_found', 'There is no such upload.');
}

/** `received`: where the next bytes belong. */
export function uploadConflict(
  message: string,
  { received }: { readonly received: number },
): Problem {
  return new Problem('upload_conflict', message, { details: { offset: received } });
}

export function tooLarge(): Problem {
  return new Problem('body_too_large', `The file is larger than ${FILE_BYTES_MAX} bytes.`, {
    details: { limitBytes: FILE_BYTES_MAX },
  });
}

export function beyondSize(size: number): Problem {
  return new Problem('body_too_large', `The upload was begun for ${size} bytes, and more came.`, {
    details: { limitBytes: size },
  });
}
