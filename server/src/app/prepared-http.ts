import { must } from '#base/assert.ts';
import { createHttpServer, type HttpServer } from '#http/server.ts';
import type { HttpServices } from '#http/services.ts';
import { type MemberRole, stopGraceOf } from './member/member-role.ts';
import type { WorkspaceOptions } from './workspace.ts';

/**
 * The HTTP server of a primary, without services: to make its routes takes longer than anything
 * else that a member does to become one.
 */
export interface PreparedHttp extends AsyncDisposable {
  /** It may listen from now on. */
  serve(services: HttpServices): HttpServer;
}

export async function prepareHttp(
  { config, logger, telemetry }: Pick<WorkspaceOptions, 'config' | 'logger' | 'telemetry'>,
  member: MemberRole | undefined,
): Promise<PreparedHttp> {
  let served: HttpServices | undefined;
  const frontEnd = () => must(served, 'the services of a server that listens').frontEnd;
  // What it is made of reads each of the others when somebody asks.
  const services = {
    frontEnd: {
      file: (path) => frontEnd().file(path),
      replicaUrls: () => frontEnd().replicaUrls(),
    },
  } as HttpServices;
  const http = await createHttpServer(services, {
    ...config.http,
    publicAddress: config.publicAddress,
    logger,
    telemetry,
    primaryAddress: null,
    ...stopGraceOf(member),
  });
  return {
    serve: (all) => {
      served = all;
      Object.assign(services, { ...all, frontEnd: services.frontEnd });
      return http;
    },
    [Symbol.asyncDispose]: () => http.close(),
  };
}
