import type { FastifyReply, FastifyRequest } from 'fastify';
import { WEB_SOCKET_PATH } from '@trellis/contract/web-socket.ts';
import { Problem } from '#base/problem.ts';
import type { FrontEndAnswers } from './front-end/front-end-answers.ts';
import { pathOf } from './request-log.ts';
import { methodNotAllowed, unknownRoute } from './unknown-route.ts';
import type { WebSockets } from './web-socket/web-sockets.ts';

/** Answers a request that no operation takes, or throws the problem that it is. */
export type BesideOperations = (request: FastifyRequest, reply: FastifyReply) => void;

const ALLOW = ['GET', 'HEAD'];

/**
 * The files of the front end, and the path of the WebSocket: neither is in the table of operations,
 * both are for anybody.
 */
export function besideOperations(
  frontEnd: FrontEndAnswers,
  webSockets: Pick<WebSockets, 'problem'>,
): BesideOperations {
  return (request, reply) => {
    const path = pathOf(request.url);
    const isWebSocket = path === WEB_SOCKET_PATH;
    if (!isWebSocket && !frontEnd.has(path)) {
      if (path !== '/') throw unknownRoute(request);
      throw new Problem('front_end_not_built', 'This server has no front end: it was not built.');
    }
    if (!ALLOW.includes(request.method)) throw methodNotAllowed(request, ALLOW);
    if (isWebSocket) throw webSockets.problem(request.ip);
    frontEnd.send(path, request, reply);
  };
}
