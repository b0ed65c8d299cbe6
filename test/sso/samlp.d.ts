/** As much of the library, which has no types, as is used. */
declare module 'samlp' {
  export interface AuthnRequest {
    readonly id: string;
    readonly issuer: string;
    readonly assertionConsumerServiceURL: string;
  }

  type Callback<T> = (error: Error | null, result: T) => void;

  export function parseRequest(
    request: { readonly query: Readonly<Record<string, string>> },
    options: object,
    callback: Callback<AuthnRequest>,
  ): void;

  /** Answers XML. */
  export function getSamlResponse(
    options: Readonly<Record<string, unknown>>,
    user: object,
    callback: Callback<string>,
  ): void;
}
