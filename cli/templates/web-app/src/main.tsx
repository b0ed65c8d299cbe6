import { Trellis } from '@trellis/client';
import { TrellisProvider } from '@trellis/client/react';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';

/** The server that shows this page; while you write, vite passes its API on. */
const client = new Trellis({ baseUrl: new URL(window.MSKSERVERPATH ?? '/', document.baseURI) });

const root = document.querySelector('#root');
if (root === null) throw new Error('index.html has no #root');
createRoot(root).render(
  <StrictMode>
    <TrellisProvider client={client}>
      <App />
    </TrellisProvider>
  </StrictMode>,
);

declare global {
  interface Window {
    /** The server says where it is to the pages that it shows. */
    readonly MSKSERVERPATH?: string;
  }
}
