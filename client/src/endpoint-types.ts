/** What an endpoint takes and answers: a member of `Endpoints` in a module of `trellis types`. */
export interface EndpointTypes {
  readonly input: unknown;
  readonly output: unknown;
}

/** Where nothing is known of a workspace: any endpoint takes anything. */
export interface AnyEndpoints {
  readonly [name: string]: EndpointTypes;
}

export type EndpointName<Endpoints> = keyof Endpoints & string;

export type EndpointInput<Endpoints, Name extends keyof Endpoints> = Endpoints[Name] extends {
  readonly input: infer Input;
}
  ? Input
  : never;

export type EndpointOutput<Endpoints, Name extends keyof Endpoints> = Endpoints[Name] extends {
  readonly output: infer Output;
}
  ? Output
  : never;

/** A body, which may be left out where the endpoint says so; then what else the call takes. */
export type EndpointArguments<Endpoints, Name extends keyof Endpoints, Options> =
  undefined extends EndpointInput<Endpoints, Name>
    ? [body?: EndpointInput<Endpoints, Name>, options?: Options]
    : [body: EndpointInput<Endpoints, Name>, options?: Options];
