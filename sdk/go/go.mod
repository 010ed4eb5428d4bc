module github.com/heliograph/heliograph/sdk/go

go 1.22
