import { QueryClientProvider } from "@tanstack/react-query"
import { RouterProvider } from "@tanstack/react-router"
import { StrictMode } from "react"
import { createRoot } from "react-dom/client"
import { makeQueryClient } from "./api/hooks.ts"
import { hideWhenLeft } from "./frame/leave.ts"
import { applyTheme } from "./frame/theme.ts"
import { makeRouter } from "./router.tsx"
import "./style.css"

applyTheme()
hideWhenLeft()
createRoot(document.getElementById("root")!).render(
  <StrictMode>
    <QueryClientProvider client={makeQueryClient()}>
      <RouterProvider router={makeRouter()} />
    </QueryClientProvider>
  </StrictMode>
)
