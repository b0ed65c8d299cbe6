import { execFile } from 'node:child_process';
import { chown, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { requireBuildah, requireNodePackage, requireRoot } from '../support/requires.ts';
import { TrellisProcess, temporaryFolder } from '../support/trellis-process.ts';
import { BuiltImage } from './built-image.ts';
import { expectToServe } from './whole-workspace.ts';

/** The image of docker/Dockerfile, built and started as an engine for containers does it. */

const execute = promisify(execFile);
/** The user `node` of the images of Node. */
const NODE_UID = 1_000;

test.skipIf(requireRoot() || requireNodePackage() || requireBuildah())(
  'the image is built, serves the workspace as its user, and says when it is healthy',
  async () => {
    await using folder = await temporaryFolder();
    await using image = await BuiltImage.build(folder.path);
    const { Entrypoint, Cmd, Volumes, User, Healthcheck } = image.settings;
    expect({ Cmd, User, places: Object.keys(Volumes) }).toEqual({
      Cmd: ['serve'],
      User: 'node',
      places: ['/data'],
    });
    const data = join(folder.path, 'data');
    await mkdir(data);
    await chown(data, NODE_UID, NODE_UID);
    const inside = image.enter({ '/data': data });
    const command = [...inside, ...Entrypoint];
    // Its program is built there, from a checkout that has no number of a build.
    await expectToServe({ storage: '/data', command, version: /^\d\d\.\d+\.0$/ });

    await using server = await TrellisProcess.start({ storage: '/data', command });
    const [kind, ...check] = Healthcheck.Test;
    expect(kind).toBe('CMD');
    const [enter, ...rest] = [...inside, ...check];
    const ask = (port: string) => execute(enter, rest, { env: { ...process.env, MSK_PORT: port } });
    const { port } = new URL(server.url);
    await ask(port);
    expect(await server.stop()).toBe(0);
    await expect(ask(port)).rejects.toMatchObject({ code: 1 });
  },
);
