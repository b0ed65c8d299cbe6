import { Problem } from '#base/problem.ts';

/** To code that is tried. */
export function onlyTests(what: string): Problem {
  return new Problem('forbidden', `This run only tests the code: ${what} could change data`, {
    hint: 'Save the code, and run it, to change data.',
  });
}

/** To code that was offered as a reader. */
export function onlyReads(): Problem {
  return new Problem('forbidden', 'The tool is offered as read-only: runOnPrimary() is refused');
}

/** To code that is listed as one that does not call it. */
export function unnamedPrimary(): Problem {
  return new Problem(
    'forbidden',
    'The code does not contain the name runOnPrimary: the call is refused',
    {
      hint: 'Write the name in the code, so that the list of endpoints shows that it may be called.',
    },
  );
}

export function markedReadOnly(): Problem {
  return new Problem('forbidden', 'This endpoint is marked Read Only: it cannot write', {
    hint: 'Turn Read Only off, or write in another endpoint.',
  });
}
