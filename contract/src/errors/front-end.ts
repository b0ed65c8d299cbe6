import type { ErrorGroup } from './entry.ts';

/** What is served to browsers. */
export const frontEndErrors = {
  front_end_not_built: {
    status: 404,
    title: 'No front end',
    hint: 'Run "npm run build" where the server is installed, then start it again.',
  },
  invalid_interface: {
    status: 422,
    title: 'Not an interface',
    hint: 'Send a zip of the files of the interface, with index.html at its root.',
  },
  interface_not_found: {
    status: 404,
    title: 'Interface not found',
    hint: 'GET /api/interfaces lists the interfaces there are.',
  },
  interface_in_use: {
    status: 409,
    title: 'Interface is the chosen one',
    hint: 'Choose another one first: the setting "interface" of the workspace, null for the built-in front end.',
  },
} as const satisfies ErrorGroup;
