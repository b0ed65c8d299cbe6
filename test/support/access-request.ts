import type { AccessScene } from './access-scene.ts';

export interface AccessRequest {
  readonly path: string;
  readonly body?: unknown;
  readonly form?: Readonly<Record<string, string>>;
}

/** By operation; `times` makes names of their own. */
export type AccessRequests = Readonly<
  Record<string, (scene: AccessScene, times: number) => AccessRequest | Promise<AccessRequest>>
>;
