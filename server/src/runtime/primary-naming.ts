/** As the code of an endpoint finds it in its scope. */
const NAME = 'runOnPrimary';

/**
 * Whether code may call `runOnPrimary`: only code in which the name stands is let, in a comment
 * too. So the catalogue tells it without running anything, and what it says holds: a name that is
 * put together at run time is refused.
 */
export function namesPrimary(code: string): boolean {
  return code.includes(NAME);
}
