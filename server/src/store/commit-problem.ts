import { Problem } from '#base/problem.ts';

/** For a commit that was built on one which the log refused for that reason. */
export function followUp(reason: unknown): Problem {
  const code = reason instanceof Problem ? reason.code : 'storage_failed';
  return new Problem(code, 'the commit was built on one that could not be written', {
    hint: 'Send it again.',
    cause: reason,
  });
}

/** For a commit that comes while commits cannot be carried out for that reason. */
export function notTaken({ code, message }: Problem): Problem {
  return new Problem(code, `no commit is taken: ${message}`, {
    hint: 'Free room on the volume of the storage folder, then send it again.',
  });
}

/** For a commit that is not carried out when the state is closed. */
export function notApplied(problem: Problem): Problem {
  return new Problem(
    problem.code,
    'the workspace stopped before the commit could be carried out; it may be in the log already',
    { hint: 'Free room, start again, and look whether the change is there.', cause: problem },
  );
}
