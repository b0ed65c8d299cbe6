const CENSOR = '[redacted]';

/** Below this length a value is no secret worth the name, and hiding it would blot out ordinary words. */
const SECRET_CHARACTERS_MIN = 6;

/** A member of a JSON object whose name says that its value is nobody's business. */
const SECRET_MEMBER =
  /"([^"\\]*(?:password|secret|token|authorization|cookie|api_?key))":"(?:[^"\\]|\\.)*"/gi;
/** A JSON Web Token, wherever it stands: header and claims of one always begin with `{"`. */
const JSON_WEB_TOKEN = /\beyJ[\w-]+\.eyJ[\w-]+\.[\w-]*/g;

/** Takes out of a line of JSON the given secrets, anything that is named like one, and every token. */
export function createRedactor(secrets: readonly string[]): (line: string) => string {
  const values = secrets
    .filter((secret) => secret.length >= SECRET_CHARACTERS_MIN)
    // As they would stand inside a JSON string.
    .map((secret) => JSON.stringify(secret).slice(1, -1));
  return (line) => {
    let out = line;
    for (const value of values) out = out.replaceAll(value, CENSOR);
    return out.replaceAll(SECRET_MEMBER, `"$1":"${CENSOR}"`).replaceAll(JSON_WEB_TOKEN, CENSOR);
  };
}
