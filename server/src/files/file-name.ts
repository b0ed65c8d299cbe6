import { Problem } from '#base/problem.ts';
import { UPLOAD_NAME_CHARACTERS_MAX } from '@trellis/contract/limits.ts';

/** Slashes of any system, and what moves a cursor instead of being seen. */
const REFUSED = /[/\\\p{Cc}\p{Zl}\p{Zp}]/u;
const MEDIA_TYPE = /^[\w!#$&^.+-]{1,60}\/[\w!#$&^.+-]{1,60}$/;
const ANY_MEDIA_TYPE = 'application/octet-stream';

/** Throws `invalid_request` for what is no name of a file in one folder. */
export function checkFileName(name: string): void {
  const isName = name.trim() !== '' && name !== '.' && name !== '..' && name.isWellFormed();
  if (!isName || REFUSED.test(name)) {
    throw invalidName('must be text without slashes and control characters');
  }
  if (name.length > UPLOAD_NAME_CHARACTERS_MAX) {
    throw invalidName(`must have at most ${UPLOAD_NAME_CHARACTERS_MAX} characters`);
  }
}

/** What a client says a file is, without parameters; anything when it says nothing of use. */
export function contentTypeOf(given: string): string {
  const type = given.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  return MEDIA_TYPE.test(type) ? type : ANY_MEDIA_TYPE;
}

function invalidName(message: string): Problem {
  return new Problem('invalid_request', `The name of the file ${message}`, {
    details: { fields: [{ path: 'filename', message }] },
  });
}
